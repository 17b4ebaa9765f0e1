# Small files: 10 000 files in 110 directories, 1.2 GB together. Each thread creates and writes one, reads another, and
# deletes a third.
set $nfiles=10000

define fileset name=files,size=120000,filesizegamma=1500,entries=$nfiles,dirwidth=91,dirgamma=0,prealloc=80

define process name=program
{
  thread name=worker,instances=4
  {
    flowop createfile name=create,filesetname=files,fd=1
    flowop writewholefile name=write,fd=1,srcfd=1,iosize=64k
    flowop closefile name=close-written,fd=1
    flowop openfile name=open,filesetname=files,fd=1
    flowop readwholefile name=read,fd=1,iosize=64k
    flowop closefile name=close-read,fd=1
    flowop statfile name=stat,filesetname=files
    flowop deletefile name=delete,filesetname=files
  }
}

run 60
