export { ExceptionsPage as default } from '@/components/exceptions/exceptions-page';
export const metadata = { title: 'Exceptions' };
