import { answerNoSuchRoute, handleEveryMethod } from '@/lib/http/methods';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handleEveryMethod(answerNoSuchRoute);
