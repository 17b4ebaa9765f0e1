# PostMark (Katcher, NetApp TR-3022, 1997): small files of mail and news; each transaction creates or deletes one file and
# reads or appends to another, half of each.
set $nfiles=500
set $filesize=cvar(type=cvar-uniform,parameters=lower:500;upper:10000)
set $iosize=512

define fileset name=pool,size=$filesize,entries=$nfiles,dirwidth=1000000,prealloc=80

define process name=server
{
  thread name=client
  {
    flowop createfile name=create,filesetname=pool,fd=1
    flowop writewholefile name=write,fd=1,srcfd=1,iosize=$iosize
    flowop closefile name=close-written,fd=1
    flowop openfile name=open-to-read,filesetname=pool,fd=1
    flowop readwholefile name=read,fd=1,iosize=$iosize
    flowop closefile name=close-read,fd=1
    flowop deletefile name=delete,filesetname=pool
    flowop openfile name=open-to-append,filesetname=pool,fd=1
    flowop appendfilerand name=append,fd=1,iosize=10000
    flowop closefile name=close-appended,fd=1
  }
}

run 60
