import {
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  App,
  type AppOptions,
  Auth,
  Body,
  Can,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Params,
  Post,
  Put,
  Query,
  type Request,
  type Response,
} from 'blazon'
import { z } from 'zod'

export const guard = { canActivate: async () => true }
const User = z.object({ id: z.int(), name: z.string() }).meta({ id: 'User' })
const Trace = z.object({ 'x-trace': z.string().optional(), authorization: z.string() })

@Controller('/users/')
export class UsersController {
  @Get()
  @Query(z.object({ page: z.coerce.number().default(1), tag: z.array(z.string()).optional() }))
  @ApiResponseDoc({ status: 200, description: 'A page of users', schema: z.array(User) })
  list() {
    return []
  }

  @Get(':userId')
  getUserById(_req: Request, res: Response) {
    res.json({})
  }

  @Post()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  @Body(z.object({ name: z.string().min(1) }))
  createHTTPUser() {}

  @Put(':id')
  @Auth()
  @Params(z.object({ id: z.coerce.number().int().describe('Its number') }))
  @Headers(Trace)
  @ApiOperation({ summary: 'Replace it', description: 'All of it.', deprecated: true })
  @ApiBody({ schema: User, description: 'The new one', required: false })
  @ApiResponseDoc({ status: 404, description: 'No such user' })
  replace() {}

  @Delete(':id')
  @Can('users:delete')
  @HttpCode(204)
  remove() {}
}

/** The operation of a route in the document of an application. */
export function operation(options: AppOptions, method: 'get' | 'put' | 'post', path: string) {
  const found = new App(options).document.paths[path]?.[method]
  if (found === undefined) throw new Error(`${method} ${path} is not in the document`)
  return found
}

export const users: AppOptions = { controllers: [UsersController], auth: { guard } }
