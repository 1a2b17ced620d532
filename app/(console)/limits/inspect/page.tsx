export { InspectorPage as default } from '@/components/limits/inspector/inspector-page';
export const metadata = { title: 'Inspector' };
