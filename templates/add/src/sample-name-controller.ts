import { Controller, Get, type Request } from 'blazon';

@Controller('sample-name')
export class SampleNameController {
  @Get(':id')
  get({ params }: Request<{ id: string }>) {
    return { id: params.id };
  }
}
