import { Controller, Get, HttpCode, NotFoundError, Post, type Req } from 'blazon'
import { z } from 'zod'

const UserId = z.object({ id: z.coerce.number().int() })
const User = z.object({ name: z.string().min(1), email: z.email().toLowerCase() })
const users = [{ name: 'Ada', email: 'ada@example.com' }]

@Controller('users')
class UsersController {
  @Get(':id', { params: UserId })
  getById({ params: { id } }: Req<{ params: typeof UserId }>) {
    if (users[id] === undefined) throw new NotFoundError(`User ${id} does not exist`)
    return { id, ...users[id] }
  }

  @Post('', { body: User })
  @HttpCode(201)
  create({ body }: Req<{ body: typeof User }>) {
    return { id: users.push(body) - 1, ...body }
  }
}

/** What `main.ts` listens with, and `hello.test.ts` tests. */
export const options = { controllers: [UsersController] }
