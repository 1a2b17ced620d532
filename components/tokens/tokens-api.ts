export const TOKENS_PATH = '/v1/admin/tokens';
export const tokensKey = ['tokens'] as const;
