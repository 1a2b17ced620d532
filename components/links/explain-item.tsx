import { Route } from 'lucide-react';
import { buildExplainHref } from '@/components/links/question-url';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';

/** Menu item that links a decision to its explanation. */
export function ExplainItem({ requestId }: { requestId: string | null | undefined }) {
  return requestId ? (
    <DropdownMenuItem asChild>
      <Link href={buildExplainHref({ request_id: requestId })}>
        <Route aria-hidden /> Explain this request
      </Link>
    </DropdownMenuItem>
  ) : null;
}
