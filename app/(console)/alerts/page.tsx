export { InboxPage as default } from '@/components/inbox/inbox-page';
export const metadata = { title: 'Alerts' };
