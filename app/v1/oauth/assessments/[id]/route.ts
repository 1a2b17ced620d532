import { readAssessment } from '@/lib/admin/assessments/read';
import { removeAssessment } from '@/lib/admin/assessments/remove';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readAssessment, removeAssessment);
