import { ApiResponseDoc, Controller, Get } from 'blazon'
import { z } from 'zod'

@Controller('health')
export class HealthController {
  @Get()
  @ApiResponseDoc({ status: 200, description: 'It runs', schema: z.object({ uptime: z.int() }) })
  check() {
    return { uptime: Math.round(process.uptime()) }
  }
}
