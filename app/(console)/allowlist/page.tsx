export { AllowlistPage as default } from '@/components/allowlist/allowlist-page';
export const metadata = { title: 'Allowlist' };
