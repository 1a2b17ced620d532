import type { Explanation } from '@/components/api/explain-error';
import { Button } from '@/components/ui/button';

/** Leads to where a fault can be mended, by a whole new page: what is loaded by then may be refused as well. */
export function RemedyLink({ link, small }: { link: Explanation['link']; small?: boolean }) {
  if (link === undefined) return null;
  return (
    <Button asChild size={small ? 'sm' : 'default'}>
      <a href={link.href}>{link.label}</a>
    </Button>
  );
}
