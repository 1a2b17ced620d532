import { answerNoSuchRoute, everyMethod } from '@/lib/http/methods';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(answerNoSuchRoute);
