import { LifeBuoy } from 'lucide-react';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import type { HelpRequest } from '@/components/links/help-target';
import { Button } from '@/components/ui/button';

/** Opens the help drawer. `name` replaces a uuid in its label. Without `label` the button is an icon. */
export function HelpButton(props: { request: HelpRequest; name?: string; label?: string; className?: string }) {
  const { request, name = request.identifier, label, className } = props;
  const { help } = useSubjectActions();
  return (
    <Button
      variant="ghost"
      size={label ? 'sm' : 'icon-sm'}
      className={className}
      aria-label={`${label ?? 'Help'} ${name}`}
      title={`Help ${name}`}
      onClick={() => help(request)}
    >
      <LifeBuoy aria-hidden /> {label}
    </Button>
  );
}
