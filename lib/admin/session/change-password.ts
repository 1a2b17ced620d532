import { changeMember } from '@/lib/admin/members/update';
import { reauthenticate } from '@/lib/admin/session/reauthenticate';
import { changeOwnPassword as contract } from '@/lib/contract/session';
import { implement } from '@/lib/operation/operation';

export const changeOwnPassword = implement(contract, async (context, { body }) => {
  const proven = await reauthenticate(context, { field: 'current_password', password: body.current_password });
  await changeMember(context, { id: proven.id }, { password: body.new_password }, 'new_password', proven);
  return undefined;
});
