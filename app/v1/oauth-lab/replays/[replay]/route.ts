import { endpoint } from '@/lib/http/endpoint';
import { playLabReplay } from '@/lib/oauth/operations/play-lab-replay';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, playLabReplay);
