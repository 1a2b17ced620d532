import type { Metadata } from 'next';
import { SettingsPage } from '@/components/settings/settings-page';
import { readInstallation } from './installation';

export const metadata: Metadata = { title: 'Settings' };

export default async function Page() {
  return <SettingsPage installation={await readInstallation()} />;
}
