import { readGatewayRecipe } from '@/lib/admin/first-hour/read-gateway-recipe';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readGatewayRecipe);
