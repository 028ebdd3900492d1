import {
  Auth,
  type AuthGuard,
  Body,
  Controller,
  defineAppOptions,
  defineControllers,
  Get,
  HttpCode,
  Inject,
  inject,
  Post,
  type Request,
} from 'blazon'

export const closed: string[] = []

export class Clock {
  now(): string {
    return new Date().toISOString()
  }
}

class Notebook {
  onClose() {
    closed.push('Notebook')
  }
}

const Note = {
  type: 'object',
  properties: { text: { type: 'string', minLength: 1 } },
  required: ['text'],
  additionalProperties: false,
} as const

@Controller('notes')
class NotesController {
  @Inject(Clock) readonly clock!: Clock
  readonly notebook = inject(Notebook)

  @Get(':id')
  read(req: Request) {
    return { id: req.params['id'], readAt: this.clock.now() }
  }

  @Auth()
  @Post()
  @HttpCode(201)
  @Body(Note)
  write(req: Request) {
    return req.body
  }
}

class TokenGuard implements AuthGuard {
  async canActivate(req: Request) {
    return req.get('authorization') === 'Bearer good'
  }
}

export const options = defineAppOptions({
  controllers: defineControllers(NotesController),
  providers: [Clock, Notebook],
  auth: { guard: TokenGuard },
})
