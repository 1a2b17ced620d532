import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import { removeException } from '@/lib/admin/exception-kind/exception-kind';
import { removeAllowlistEntry as contract } from '@/lib/contract/allowlist';
import { implement } from '@/lib/operation/operation';

/** Ends the bypass of an identifier. */
export const removeAllowlistEntry = implement(contract, (context, { body }) =>
  removeException(context, ALLOWLIST_ENTRIES, body),
);
