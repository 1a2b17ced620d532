import { Hammer, Scale, ScanText } from 'lucide-react';
import { CitedText } from '@/components/format/cited-text';

const STEPS = [
  {
    icon: ScanText,
    title: 'Read',
    text: 'Header, claims and signature in colours, each claim explained, and what is malformed, to the character.',
  },
  {
    icon: Scale,
    title: 'Verify and judge',
    text: 'By the keys of the issuer, PEM or a secret; by RFC 8725, RFC 9068 and OpenID Connect Core.',
  },
  {
    icon: Hammer,
    title: 'Forge',
    text: 'Change it, sign it again with a throwaway key, no key or the wrong one, and see whether the lab falls for it.',
  },
];

/** Explains what the workbench can do, until there is a token. */
export function WorkbenchGuide() {
  return (
    <ul className="grid gap-5 sm:grid-cols-3">
      {STEPS.map(({ icon: Icon, title, text }) => (
        <li key={title} className="flex gap-3 rounded-lg border border-dashed px-4 py-3">
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-primary" />
          <div>
            <h2 className="text-base font-medium">{title}</h2>
            <p className="text-sm text-muted-foreground">
              <CitedText>{text}</CitedText>
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
