import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { readSession, type SessionMember } from '@/lib/auth/session';
import { PAGE_HEADER } from '@/lib/http/page-headers';
import { loadServices } from '@/lib/process/runtime';

/**
 * Returns the signed-in member. Redirects everyone else to the sign-in page and back afterwards, and members who must
 * set up a second factor to its page. Reads the session once for each request.
 *
 * A client may request a page without its layout (`Next-Router-State-Tree`), signed in or not. So each page that shows
 * data of the server calls this itself.
 */
export const requireMember = cache(async (): Promise<SessionMember> => {
  const [services, request] = await Promise.all([loadServices(), headers()]);
  const member = await readSession(request.get('cookie'), services);
  const query = new URLSearchParams({ callbackUrl: request.get(PAGE_HEADER) ?? '/' });
  if (!member) redirect(`/sign-in?${query}`);
  if (member.mustSetUp) redirect(`/sign-in/second-factor?${query}`);
  return member;
});
