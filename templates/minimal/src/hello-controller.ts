import { Controller, Get } from 'blazon'

@Controller('hello')
export class HelloController {
  @Get(':name')
  greet({ params }: { params: { name: string } }) {
    return { greeting: `Hello ${params.name}` }
  }
}
