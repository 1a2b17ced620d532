export { LimitsPage as default } from '@/components/limits/limits-page';
export const metadata = { title: 'Limits' };
