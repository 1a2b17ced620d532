import type { ReactNode } from 'react';
import { OAuthNav } from '@/components/oauth/oauth-nav';
import { requireLab } from './lab-of-request';

export default async function Layout({ children }: { children: ReactNode }) {
  await requireLab();
  return (
    <>
      <OAuthNav className="shrink-0" />
      {children}
    </>
  );
}
