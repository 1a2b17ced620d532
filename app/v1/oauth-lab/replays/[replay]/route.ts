import { playLabReplay } from '@/lib/admin/lab/play-replay';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(playLabReplay);
