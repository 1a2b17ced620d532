export { DecisionsPage as default } from '@/components/decisions/decisions-page';
export const metadata = { title: 'Decisions' };
