import { ApiResponseDoc, Controller, Get, Health, inject, ServiceUnavailableError } from 'blazon'
import { z } from 'zod'

@Controller('health')
export class HealthController {
  private readonly health = inject(Health)

  @Get()
  @ApiResponseDoc({ status: 200, description: 'It runs', schema: z.object({ uptime: z.int() }) })
  check() {
    return { uptime: Math.round(process.uptime()) }
  }

  @Get('ready')
  @ApiResponseDoc({ status: 200, description: 'It can be sent requests', schema: z.object({}) })
  @ApiResponseDoc({ status: 503, description: 'Something that it depends on is down' })
  async ready() {
    const { status, plugins } = await this.health.check()
    // The log is told what it is; strangers are not.
    if (status === 'down') throw new ServiceUnavailableError(JSON.stringify(plugins))
    return {}
  }
}
