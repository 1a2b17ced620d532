export { OverviewPage as default } from '@/components/statistics/overview-page';
export const metadata = { title: 'Overview' };
