export const MEMBERS_PATH = '/v1/admin/members';
export const membersKey = ['members'] as const;
