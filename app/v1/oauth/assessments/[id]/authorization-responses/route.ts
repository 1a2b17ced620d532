import { answerAuthorization } from '@/lib/admin/assessments/answer-authorization';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(answerAuthorization);
