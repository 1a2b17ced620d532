import { removeException } from '@/lib/admin/exception-kind/exception-kind';
import { OVERRIDES } from '@/lib/admin/overrides/row';
import { removeOverride as contract } from '@/lib/contract/overrides';
import { implement } from '@/lib/operation/operation';

/** Removes an override. The policies apply again from the next decision on. */
export const removeOverride = implement(contract, (context, { body }) => removeException(context, OVERRIDES, body));
