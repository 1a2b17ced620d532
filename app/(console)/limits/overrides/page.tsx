export { OverridesPage as default } from '@/components/overrides/overrides-page';
export const metadata = { title: 'Overrides' };
