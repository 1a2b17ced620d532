export { AuditLogPage as default } from '@/components/audit-log/audit-log-page';
export const metadata = { title: 'Audit log' };
