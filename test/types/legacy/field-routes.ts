// Decorators on fields in the legacy dialect.
import { Auth, Get, get } from 'blazon'

export class Bad {
  @Auth() list = get('/', () => 1)
  @Auth() private readonly other = get('/other', () => this.list)
  @Auth() readonly more = get('/more', () => this.other)

  // @ts-expect-error: a verb belongs to a method
  @Get() verb = () => 1

  // @ts-expect-error: a verb belongs to a method
  @Get('', {}) options = () => 1
}
