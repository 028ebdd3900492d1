// Blazon's part of the table of README.md: the users of the other frameworks' programs, in one of their variants.
import { App, Controller, Get, HttpCode, Params, Post, type Req } from 'blazon'
import helmet from 'helmet'
import { z } from 'zod'

const UserId = z.object({ id: z.coerce.number().int() })
const User = z.object({ name: z.string().min(1), email: z.email(), age: z.number().int().min(18) })

@Controller('users')
class UsersController {
  @Get(':id', { params: UserId })
  getById({ params: { id } }: Req<{ params: typeof UserId }>) {
    return { id, name: 'Ada' }
  }

  @Post('', { body: User })
  @HttpCode(201)
  create({ body }: Req<{ body: typeof User }>) {
    return { id: 2, ...body }
  }
}

@Controller('users')
class ClashingController {
  @Get(':name')
  getByName() {
    return 'never reached'
  }
}

@Controller('teams')
class MistakenController {
  @Get(':id')
  @Params(z.object({ teamId: z.string() }))
  getById() {
    return 'the schema names a parameter that the path does not have'
  }
}

const variant = process.argv[2]
const controllers = {
  clash: [UsersController, ClashingController],
  mistake: [UsersController, MistakenController],
}[variant] ?? [UsersController]
const middlewares =
  variant === 'middleware' ? [helmet({ referrerPolicy: { policy: 'origin' } })] : []
// Its own security headers are off, so that those of the middleware are the ones that are seen.
const app = new App({ controllers, middlewares, security: { helmet: false }, logger: false })
const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
process.on('disconnect', () => process.exit())
process.send?.({ port, document: '/api-docs.json' })
