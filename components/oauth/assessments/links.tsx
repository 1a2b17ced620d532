import { ArrowLeft } from 'lucide-react';
import { createContext, useContext } from 'react';
import { Link } from '@/components/ui/link';
import { CALLBACK_PATH } from '@/lib/contract/callback';

const OriginContext = createContext('');
/** Provides the public origin of this installation. */
export const LabOrigin = OriginContext.Provider;

/** Returns the redirect URI to register, which brings authorization codes back to this installation. */
export const useRedirectUri = () => useContext(OriginContext) + CALLBACK_PATH;

export function BackToAssessments() {
  return (
    <Link
      href="/oauth/assessments"
      className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground print:hidden"
    >
      <ArrowLeft aria-hidden className="size-4" /> Assessments
    </Link>
  );
}
