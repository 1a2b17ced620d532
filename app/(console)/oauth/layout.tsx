import type { ReactNode } from 'react';
import { OAuthNav } from '@/components/oauth/oauth-nav';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <OAuthNav className="shrink-0" />
      {children}
    </>
  );
}
