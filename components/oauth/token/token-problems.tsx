import { CitedText } from '@/components/format/cited-text';
import { Alert } from '@/components/ui/alert';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import type { SignedToken } from '@/lib/oauth/token/read-token';

/** Lists what is malformed about a token and where. */
export function TokenProblems({ reading: { problems } }: { reading: SignedToken }) {
  if (problems.length === 0) return null;
  return (
    <Alert variant="warning" title={problems.length === 1 ? 'It is malformed' : `${problems.length} things are wrong`}>
      <ul className="list-disc pl-4">
        {problems.slice(0, 20).map(({ part, at, message }) => (
          <li key={`${at} ${message}`} className="wrap-anywhere">
            {part}, character {at + 1}: <CitedText>{escapeInvisibleCharacters(message)}</CitedText>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
