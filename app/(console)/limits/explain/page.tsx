export { ExplainPage as default } from '@/components/explanation/explain-page';
export const metadata = { title: 'Explain' };
