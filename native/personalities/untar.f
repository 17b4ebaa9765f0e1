# An archive of sources is unpacked: one thread creates and writes each file once. The run ends with the last file.
set mode quit firstdone
set $nfiles=50000

define fileset name=sources,size=14k,filesizegamma=700,entries=$nfiles,dirwidth=17,prealloc=0

define process name=tar
{
  thread name=tar
  {
    flowop createfile name=create,filesetname=sources,fd=1
    flowop writewholefile name=write,fd=1,srcfd=1,iosize=10k
    flowop closefile name=close,fd=1
  }
}
