import { Controller, Get } from 'blazon'

@Controller('health')
export class HealthController {
  @Get()
  check() {
    return { uptime: Math.round(process.uptime()) }
  }
}
