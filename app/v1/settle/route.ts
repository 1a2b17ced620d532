import { after } from 'next/server';
import { apiHandlers } from '@/lib/process/answer-api';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiHandlers(after);
