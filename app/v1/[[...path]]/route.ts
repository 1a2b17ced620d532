import { after } from 'next/server';
import { createApiHandlers } from '@/lib/process/answer-api';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = createApiHandlers(after);
