import type { Explanation } from '@/components/api/explain-error';
import { Button } from '@/components/ui/button';

/** Links to the page that can fix an error. It forces a full page load, because the loaded code may be refused too. */
export function RemedyLink({ link, small }: { link: Explanation['link']; small?: boolean }) {
  if (link === undefined) return null;
  return (
    <Button asChild size={small ? 'sm' : 'default'}>
      <a href={link.href}>{link.label}</a>
    </Button>
  );
}
