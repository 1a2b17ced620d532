import './globals.css';

import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { Providers } from '@/components/shell/providers';

/** Every page carries a nonce. None is rendered at build time, because there is no database then. */
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Sluice', template: '%s · Sluice' },
  description: 'Rate limits, API key quotas and an OAuth security lab.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fcfdfd' },
    { media: '(prefers-color-scheme: dark)', color: '#0e1215' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  );
}
