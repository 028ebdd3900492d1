import {
  ApiResponseDoc,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Controller,
  Delete,
  defineControllers,
  Get,
  Head,
  Header,
  Post,
  type Req,
  type Request,
  Version,
} from 'blazon'
import { z } from 'zod'

export const First = z.object({ total: z.number() })
export const Second = z.object({ total: z.object({ amount: z.number(), currency: z.string() }) })
const Note = z.object({ text: z.string().min(1).max(20) })

/** How often the handler of the cached route has run. */
export const calls = { cached: 0 }

@Version('1')
@Controller('orders')
class OrdersController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: First })
  list() {
    return { total: 1 }
  }

  @Version('1', '2')
  @Post()
  @Body(Note)
  @ApiResponseDoc({ status: 200, schema: Note })
  create(req: Req<{ body: typeof Note }>) {
    return req.body
  }

  @Version('1', '2')
  @Get('cached')
  @Cache({ ttl: '1m' })
  @ApiResponseDoc({ status: 200, schema: z.object({ run: z.int() }) })
  cached() {
    return { run: ++calls.cached }
  }

  @Get(':id')
  @ApiResponseDoc({ status: 200, schema: z.object({ id: z.string() }) })
  read(req: Request) {
    return { id: req.params['id'] }
  }

  @Version('*')
  @Get('all/versions')
  @ApiResponseDoc({ status: 200, schema: z.object({ isNeutral: z.boolean() }) })
  neutral() {
    return { isNeutral: true }
  }
}

@Version('2')
@Controller('orders')
class NewOrdersController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: Second })
  list() {
    return { total: { amount: 1, currency: 'EUR' } }
  }

  @Head()
  @Header('X-Own-Head', 'yes')
  head(_: Request, res: { end(): void }) {
    res.end()
  }

  @Auth()
  @Delete()
  @ApiResponseDoc({ status: 204 })
  clear() {}
}

@Controller('health')
class HealthController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: z.object({ isFine: z.boolean() }) })
  read() {
    return { isFine: true }
  }
}

/** An API with two versions. */
export const versioned: AppOptions = {
  controllers: defineControllers(OrdersController, NewOrdersController, HealthController),
  auth: {
    guard: { canActivate: (req) => req.headers.authorization === 'Bearer ok' },
  },
}
