import { Controller, Get, type Request } from 'blazon'

@Controller('hello')
export class HelloController {
  @Get(':name')
  greet({ params }: Request<{ name: string }>) {
    return { greeting: `Hello ${params.name}` }
  }
}
