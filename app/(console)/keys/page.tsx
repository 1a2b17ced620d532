export { KeysPage as default } from '@/components/keys/keys-page';
export const metadata = { title: 'Keys & quotas' };
