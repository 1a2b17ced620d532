import { SecretPanel } from '@/components/form/secret-panel';
import { LinkNote } from '@/components/members/link-note';

interface LinkPanelProps {
  email: string;
  url: string;
  expiresAt: string;
  onClose: () => void;
}

/** Shows a new invitation link once. */
export default function LinkPanel({ email, url, expiresAt, onClose }: LinkPanelProps) {
  const note = <LinkNote email={email} expiresAt={expiresAt} />;
  return <SecretPanel title={`Link for ${email}`} note={note} secret={url} onClose={onClose} />;
}
