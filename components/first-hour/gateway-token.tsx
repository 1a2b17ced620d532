import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { CopyButton } from '@/components/format/copy-button';
import { RoleButton } from '@/components/shell/role-button';
import { createToken } from '@/lib/contract/tokens';

export interface NewToken {
  name: string;
  token: string;
}

/** Creates a token with the role gateway in place. Only this page holds it, and shows it in the snippets. */
export function GatewayToken(props: { created: NewToken | null; onCreate: (token: NewToken) => void }) {
  const { created, onCreate } = props;
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const create = async () => {
    setPending(true);
    try {
      const name = `gateway-${crypto.randomUUID().slice(0, 8)}`;
      const { value } = await call(createToken, { body: { name, role: 'gateway' } });
      onCreate({ name: value.name, token: value.token });
      await queries.invalidateQueries({ queryKey: ['tokens'] });
    } catch (error) {
      showErrorToast(error);
    }
    setPending(false);
  };
  if (created) {
    return (
      <div
        role="status"
        className="flex flex-col gap-1.5 rounded-md bg-success-soft px-3 py-2 text-sm text-success-text"
      >
        <p>
          The token <span className="font-medium">{created.name}</span> can ask for decisions and nothing else. It is in
          the text below and shown only now.
        </p>
        <div className="flex items-center gap-1">
          <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{created.token}</code>
          <CopyButton value={created.token} label="Copy token" />
        </div>
      </div>
    );
  }
  return (
    <RoleButton needs="owner" variant="outline" className="self-start" pending={pending} onClick={create}>
      Create a token for it
    </RoleButton>
  );
}
