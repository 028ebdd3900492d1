import { All, Auth, Controller, defineControllers, Get, Post, type Request } from 'blazon'
import { type ListeningApp, start } from './listening-app.js'

/** The handlers and guards that ran, in order. */
export const ran: string[] = []

@Controller()
class ThingsController {
  @Get('things')
  list(req: Request) {
    ran.push('list')
    return { headers: Object.keys(req.headers) }
  }

  @Get('things/:id')
  get(req: Request) {
    ran.push('get')
    return { id: req.params.id }
  }

  @Post('things')
  create() {
    ran.push('create')
    return {}
  }

  @Post('slow/:id')
  async slow(req: Request) {
    await new Promise((resolve) => setTimeout(resolve, (Number(req.params.id) * 7) % 10))
    return { id: req.params.id, body: req.body }
  }

  @All('all')
  all(req: Request) {
    ran.push(`all ${req.method}`)
    return { method: req.method }
  }

  @Auth()
  @Get('secret')
  secret() {
    ran.push('secret')
    return 'secret'
  }
}

/** Starts an application with a public, a protected and an @All route, and empties `ran`. */
export function startThings(): Promise<ListeningApp> {
  ran.length = 0
  const guard = {
    canActivate: (req: Request) => {
      ran.push('guard')
      return req.get('authorization') === 'Bearer good'
    },
  }
  return start({ controllers: defineControllers(ThingsController), auth: { guard } })
}
