import { Controller, Get, NotFoundError, Post } from 'blazon'
import { z } from 'zod'

const UserId = z.object({ id: z.coerce.number().int() })
const NewUser = z.object({ name: z.string().min(1), email: z.email().toLowerCase() })
const User = NewUser.extend({ id: z.int() })
type UserId = z.infer<typeof UserId>
type NewUser = z.infer<typeof NewUser>
const users = [{ name: 'Ada', email: 'ada@example.com' }]

@Controller('users')
class UsersController {
  @Get(':id', { params: UserId, returns: User, errors: { 404: 'No such user' } })
  getById({ params: { id } }: { params: UserId }) {
    if (users[id] === undefined) throw new NotFoundError(`User ${id} does not exist`)
    return { id, ...users[id] }
  }

  @Post('', { body: NewUser, returns: User, status: 201 })
  create({ body }: { body: NewUser }) {
    return { id: users.push(body) - 1, ...body }
  }
}

/** The application. `main.ts` starts it, and `hello.test.ts` tests it. */
export const options = { controllers: [UsersController] }
